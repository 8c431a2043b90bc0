-- schema
CREATE TABLE films (
  id INTEGER PRIMARY KEY,
  title TEXT,
  genre TEXT,
  minutes INTEGER,
  director TEXT
);
CREATE TABLE screenings (
  id INTEGER PRIMARY KEY,
  film_id INTEGER,
  hall TEXT,
  starts_at TEXT
);
CREATE TABLE tickets (
  id INTEGER PRIMARY KEY,
  screening_id INTEGER,
  seat TEXT,
  price INTEGER
);
-- first
INSERT INTO films VALUES
  (1, 'Dust', 'drama', 131, 'Vale'), (2, 'Echoes', 'thriller', 98, 'Wynn'), (3, 'Frost', 'drama', 142, 'Vale'),
  (4, 'Gale', 'comedy', 87, 'Xu'), (5, 'Haze', 'thriller', 115, 'Vale');
INSERT INTO screenings VALUES
  (1, 1, 'red', '2024-05-03 20:00'), (2, 1, 'blue', '2024-05-04 18:30'), (3, 2, 'red', '2024-05-04 21:00'),
  (4, 3, 'green', '2024-05-04 16:00'), (5, 4, 'blue', '2024-05-05 15:00');
INSERT INTO tickets VALUES
  (1, 1, 'A1', 12), (2, 1, 'A2', 9), (3, 2, 'B1', 12), (4, 3, 'A1', 14), (5, 3, 'A2', 14), (6, 4, 'C1', 8),
  (7, 5, 'B2', 7), (8, 1, 'A3', 12);
-- further
INSERT INTO films VALUES
  (1, 'Dust', 'drama', 120, 'Vale'), (2, 'Dust', 'drama', 121, 'Wynn'), (3, 'Frost', NULL, NULL, 'Vale'),
  (4, 'Gale', NULL, 87, NULL), (5, 'Arc', 'drama', 200, 'Vale');
INSERT INTO screenings VALUES
  (1, 1, 'red', '2024-05-04 00:00'), (2, 2, 'blue', '2024-05-04 23:59'), (3, NULL, 'red', '2024-05-05 00:00'),
  (4, 4, 'green', '2024-05-03 23:59'), (5, 4, 'amber', '2024-05-14 10:00');
INSERT INTO tickets VALUES
  (1, 1, 'A1', 10), (2, 1, 'A2', 0), (3, 2, 'B1', 5), (4, 2, 'B2', 5), (5, 4, 'C1', 6);
-- further
INSERT INTO films VALUES (1, 'Ink', 'drama', 90, 'Yates'), (2, 'Jade', 'comedy', 240, 'Yates');
INSERT INTO screenings VALUES (1, 1, 'red', '2024-05-04 12:00'), (2, 2, 'red', '2024-05-04 15:00'), (3, 2, 'red', '2024-05-04 19:00');
INSERT INTO tickets VALUES (1, 1, 'A1', 0), (2, 1, 'A2', 0), (3, 2, 'A1', 11), (4, 1, 'A4', 4), (5, 2, 'A2', 11);
