DELETE FROM "{outbox}" WHERE sequence BETWEEN ?1 AND ?2
