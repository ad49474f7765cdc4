"""The contenders written in Python, each run in a process of its own by the driver."""
