-- schema
CREATE TABLE departments (
  id INTEGER PRIMARY KEY,
  name TEXT,
  city TEXT
);
CREATE TABLE employees (
  id INTEGER PRIMARY KEY,
  name TEXT,
  department_id INTEGER,
  boss_id INTEGER,
  salary INTEGER,
  hired_on TEXT
);
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  title TEXT,
  budget INTEGER
);
CREATE TABLE assignments (
  employee_id INTEGER,
  project_id INTEGER,
  hours INTEGER
);
-- first
INSERT INTO departments VALUES (1, 'Sales', 'Lyon'), (2, 'Research', 'Nice'), (3, 'Support', 'Lyon');
INSERT INTO employees VALUES
  (1, 'Mara', 1, NULL, 5200, '2018-04-01'), (2, 'Nils', 1, 1, 4100, '2021-03-15'), (3, 'Olga', 2, 1, 5600, '2020-09-01'),
  (4, 'Per', 2, 3, 3900, '2021-11-02'), (5, 'Quin', 3, 1, 3300, '2022-01-10'), (6, 'Ruth', NULL, 3, 2800, '2023-06-01');
INSERT INTO projects VALUES (1, 'Atlas', 9000), (2, 'Beacon', 4000), (3, 'Comet', 15000);
INSERT INTO assignments VALUES (1, 1, 20), (2, 1, 35), (3, 3, 80), (4, 3, 64), (4, 2, 12), (5, 2, 30), (3, 1, 9);
-- further
INSERT INTO departments VALUES (1, 'Sales', 'Lyon'), (2, 'Presales', 'Nice'), (3, 'Sales', 'Paris'), (4, 'Legal', 'Nice');
INSERT INTO employees VALUES
  (1, 'Mara', 1, NULL, 5000, '2021-01-01'), (2, 'Nils', 2, 1, 5000, '2021-12-31'), (3, 'Mara', 3, 1, 4800, '2020-12-31'),
  (4, 'Abel', 9, 2, 3900, '2021-06-01'), (5, 'Quin', NULL, 2, 3300, '2022-01-01'), (6, 'Ruth', 1, 3, 4900, NULL);
INSERT INTO projects VALUES (1, 'Atlas', 9000), (2, 'Beacon', 4000), (3, 'Delta', NULL);
INSERT INTO assignments VALUES (1, 1, 20), (3, 2, 35), (2, 1, 5), (2, 2, 5), (4, 1, 7);
-- further
INSERT INTO departments VALUES (1, 'Empty', 'Rome'), (2, 'Sales', 'Rome');
INSERT INTO employees VALUES (1, 'Sol', 2, NULL, 3000, '2021-05-05'), (2, 'Tess', 2, 1, 3000, '2019-01-01');
INSERT INTO projects VALUES (1, 'Echo', 100);
