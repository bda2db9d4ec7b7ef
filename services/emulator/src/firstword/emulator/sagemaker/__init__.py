"""SageMaker's real-time endpoints on loopback, over the wires that AWS's own clients speak."""
