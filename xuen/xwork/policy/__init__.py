"""What the model may do: where files may be, who is asked, and who may object before and after."""
