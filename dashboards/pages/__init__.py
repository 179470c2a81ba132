"""The pages, a module to each: handlers from a visit to a response."""
