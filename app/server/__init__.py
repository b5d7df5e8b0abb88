"""What serves: settings, the loaded models and all state, who may work, and the one shape of
every error. It knows no tensor of a trace."""
