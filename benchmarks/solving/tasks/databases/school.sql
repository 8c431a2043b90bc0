-- schema
CREATE TABLE students (
  id INTEGER PRIMARY KEY,
  name TEXT,
  form TEXT,
  born_on TEXT
);
CREATE TABLE courses (
  id INTEGER PRIMARY KEY,
  title TEXT,
  teacher TEXT,
  hours INTEGER
);
CREATE TABLE grades (
  student_id INTEGER,
  course_id INTEGER,
  points INTEGER
);
-- first
INSERT INTO students VALUES
  (1, 'Anna', '7b', '2011-02-01'), (2, 'Ben', '7a', '2011-05-12'), (3, 'Cara', '7b', '2010-11-30'),
  (4, 'Dov', '8a', '2009-08-08'), (5, 'Eli', '7b', '2011-01-17'), (6, 'Fay', '7a', '2011-09-09');
INSERT INTO courses VALUES
  (1, 'Algebra', 'Hart', 40), (2, 'Biology', 'Iqbal', 28), (3, 'Chess', 'Hart', 12), (4, 'Drama', 'Jonas', 36);
INSERT INTO grades VALUES
  (1, 1, 91), (1, 2, 78), (2, 1, 64), (2, 3, 88), (3, 2, 47), (3, 1, 72), (4, 3, 95), (6, 1, 39), (6, 2, 83);
-- further
INSERT INTO students VALUES
  (1, 'Anna', '7b', '2011-02-01'), (2, 'Anna', '7b', '2011-05-12'), (3, 'Cara', '7bc', '2010-11-30'),
  (4, 'Dov', '7b', '2009-08-08'), (5, 'Eli', NULL, '2011-01-17');
INSERT INTO courses VALUES
  (1, 'Algebra', NULL, 30), (2, 'Biology', 'Iqbal', 31), (3, 'Chess', NULL, 12), (4, 'Drama', 'Jonas', 30);
INSERT INTO grades VALUES
  (1, 1, 80), (2, 1, 80), (3, 1, NULL), (4, 3, 50), (NULL, 3, 40), (3, 3, 50);
-- further
INSERT INTO students VALUES (1, 'Gil', '9a', '2008-01-01'), (2, 'Hana', '9a', '2008-02-02');
INSERT INTO courses VALUES (1, 'Music', 'Kent', 45), (2, 'Art', 'Kent', 45);
INSERT INTO grades VALUES (2, 1, 99), (2, 2, 100);
