"""How much the few people have who have the most: a posterior of what a noisy profile cannot show."""
