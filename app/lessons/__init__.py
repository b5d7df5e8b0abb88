"""Lessons and exercises: questions as data, whose answers are read off the reader's own tensors."""
