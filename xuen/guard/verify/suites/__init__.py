"""The runners of test suites, one module each; none knows another. `suite` puts them in their order."""
