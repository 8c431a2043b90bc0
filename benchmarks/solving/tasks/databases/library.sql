-- schema
CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT,
  birth_year INTEGER
);
CREATE TABLE books (
  id INTEGER PRIMARY KEY,
  title TEXT,
  author TEXT,
  published INTEGER,
  pages INTEGER
);
CREATE TABLE loans (
  id INTEGER PRIMARY KEY,
  book_id INTEGER,
  member_id INTEGER,
  taken_on TEXT,
  returned_on TEXT
);
-- first
INSERT INTO members VALUES (1, 'Ines', 1985), (2, 'Jon', 1993), (3, 'Kim', 2001), (4, 'Lea', 1978);
INSERT INTO books VALUES
  (1, 'Harbor', 'Moss', 1948, 210), (2, 'Iron Road', 'Moss', 1961, 340), (3, 'Night Bus', 'Pryce', 1999, 180),
  (4, 'Old Maps', 'Quill', 1932, 412), (5, 'Rivers', 'Pryce', 2005, 265);
INSERT INTO loans VALUES
  (1, 1, 1, '2024-01-03', '2024-01-20'), (2, 2, 1, '2024-02-01', NULL), (3, 3, 2, '2024-02-03', '2024-02-10'),
  (4, 1, 2, '2024-03-01', '2024-03-15'), (5, 5, 3, '2024-03-20', NULL), (6, 3, 1, '2024-04-01', '2024-04-19');
-- further
INSERT INTO members VALUES (1, 'Ines', 1990), (2, 'Ines', 1991), (3, 'Kim', NULL), (4, 'Otto', 1999);
INSERT INTO books VALUES
  (1, 'Harbor', 'Moss', 1950, 412), (2, 'Iron Road', NULL, 1949, NULL), (3, 'Night Bus', 'Pryce', 1999, 412),
  (4, 'Old Maps', 'Quill', 1932, NULL), (5, 'Amber', 'Pryce', NULL, 100);
INSERT INTO loans VALUES
  (1, 1, 1, '2024-01-03', NULL), (2, 1, 2, '2024-02-01', NULL), (3, 3, 4, '2024-02-03', '2024-02-10'),
  (4, 3, 4, '2024-03-01', '2024-03-15'), (5, NULL, 3, '2024-03-20', NULL), (6, 5, 1, '2024-04-01', '2024-04-02');
-- further
INSERT INTO members VALUES (1, 'Pia', 1995);
INSERT INTO books VALUES (1, 'Solo', 'Reed', 1920, 90), (2, 'Duo', 'Reed', 1921, 90);
