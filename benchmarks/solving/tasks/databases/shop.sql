-- schema
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT,
  town TEXT,
  joined_on TEXT
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  name TEXT,
  category TEXT,
  price INTEGER
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER,
  placed_on TEXT,
  status TEXT
);
CREATE TABLE order_lines (
  order_id INTEGER,
  product_id INTEGER,
  quantity INTEGER
);
-- first
INSERT INTO customers VALUES
  (1, 'Ada', 'Oslo', '2023-01-10'), (2, 'Bo', 'Bergen', '2023-03-02'), (3, 'Cleo', 'Oslo', '2024-02-11'),
  (4, 'Dan', 'Turku', '2024-05-30');
INSERT INTO products VALUES
  (1, 'lamp', 'home', 35), (2, 'mug', 'kitchen', 8), (3, 'rug', 'home', 60), (4, 'pan', 'kitchen', 25);
INSERT INTO orders VALUES
  (1, 1, '2024-06-01', 'paid'), (2, 1, '2024-06-09', 'cancelled'), (3, 2, '2024-06-11', 'paid'),
  (4, 3, '2024-07-02', 'open'), (5, 3, '2024-07-05', 'cancelled');
INSERT INTO order_lines VALUES
  (1, 1, 2), (1, 2, 6), (2, 3, 1), (3, 2, 4), (4, 4, 2), (4, 1, 1), (5, 2, 3);
-- further
INSERT INTO customers VALUES
  (1, 'Ada', 'Oslo', '2023-01-10'), (2, 'Ada', 'Oslofjord', '2023-01-11'), (3, 'Finn', NULL, '2024-02-11'),
  (4, 'Gus', 'Oslo', '2024-05-30');
INSERT INTO products VALUES
  (1, 'lamp', 'home', 20), (2, 'lamp', 'garden', 90), (3, 'vase', 'home', 90), (4, 'cup', 'kitchen', 21);
INSERT INTO orders VALUES
  (1, 1, '2024-06-01', 'cancelled'), (2, 1, '2024-06-09', 'cancelled'), (3, 2, '2024-06-11', 'paid'),
  (4, NULL, '2024-07-02', 'open'), (5, 4, '2024-07-03', 'paid');
INSERT INTO order_lines VALUES
  (1, 1, 3), (1, 4, 5), (2, 3, 5), (3, 2, 1), (3, 3, 1), (4, 1, 2);
-- further
INSERT INTO customers VALUES (1, 'Zoe', 'Rome', '2022-01-01'), (2, 'Yan', 'Rome', '2022-01-02');
INSERT INTO products VALUES (1, 'bag', 'travel', 20), (2, 'hat', 'travel', 5);
INSERT INTO orders VALUES (7, 2, '2024-01-01', 'paid'), (8, 2, '2024-01-02', 'paid');
INSERT INTO order_lines VALUES (7, 1, 1), (7, 2, 4), (8, 1, 3);
