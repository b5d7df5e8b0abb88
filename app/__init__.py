"""Token Tracer's server: traces as JSON, tensors, figures and pages."""
