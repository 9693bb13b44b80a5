namespace makegood {}
