"""The public function of a job: its call, its parameters as data, and its options as a request keeps them."""
