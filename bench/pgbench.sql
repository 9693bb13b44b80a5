-- The row that a business transaction is about, by itself: what a commit costs on this server.
INSERT INTO shop_order (customer, cents) VALUES ('acme', 4200);
