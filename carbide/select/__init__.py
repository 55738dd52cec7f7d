"""From IR to an object: instructions, registers, tasks, queues, frames."""
