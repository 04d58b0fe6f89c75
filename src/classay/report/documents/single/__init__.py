"""Documents of one number: an estimate, a comparison."""
