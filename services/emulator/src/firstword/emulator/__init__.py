"""AWS's data planes on loopback, for tests and for runs on one machine without an account."""
