DELETE FROM {schema}makegood_node WHERE node = $1
