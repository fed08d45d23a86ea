"""Views: each row is one person's, or the view is refused."""
