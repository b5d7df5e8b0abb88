"""The stage table: a declaration of every tensor of a transformer, from which all else follows."""
