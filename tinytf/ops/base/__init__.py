"""What cards of many rooms share: scopes, operators, shape rules, broadcasting."""
