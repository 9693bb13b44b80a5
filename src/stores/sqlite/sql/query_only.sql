PRAGMA query_only = ON
