// SPDX-License-Identifier: Apache-2.0
// Tables and views of a sweep's database (docs/sweeps.md). A change of them is a new
// QSM_STORE_VERSION.
#ifndef QSM_STORE_SCHEMA_H
#define QSM_STORE_SCHEMA_H

enum { QSM_STORE_APPLICATION = 0x71736d31, QSM_STORE_VERSION = 2 };  // "qsm1"

static const char qsm_store_tables[] =
    "CREATE TABLE runs ("
    "  id INTEGER PRIMARY KEY,"
    "  scenario TEXT NOT NULL,"
    "  inputs TEXT NOT NULL,"
    "  reference INTEGER NOT NULL,"
    "  position INTEGER,"
    "  variant TEXT, label TEXT, programs TEXT, goal TEXT,"
    "  status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'ok', 'failed')),"
    "  exit_code INTEGER, signal INTEGER, error TEXT,"
    "  config TEXT, policy TEXT, scheme TEXT, seed INTEGER,"
    "  cycles INTEGER, cpu_s REAL, ended_at TEXT,"
    "  energy_j REAL, power_w REAL,"
    "  UNIQUE (scenario, inputs, reference));"
    "CREATE TABLE kernels ("
    "  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    "  slot INTEGER NOT NULL,"
    "  name TEXT NOT NULL, class TEXT,"
    "  alone INTEGER REFERENCES runs,"
    "  instructions INTEGER NOT NULL,"
    "  goal_q16 INTEGER, reached INTEGER,"
    "  launches INTEGER NOT NULL, checks_passed INTEGER NOT NULL, checks_failed INTEGER NOT NULL,"
    "  started INTEGER NOT NULL, finished INTEGER,"
    "  energy_j REAL, sms_mean REAL,"
    "  PRIMARY KEY (run, slot)) WITHOUT ROWID;"
    "CREATE TABLE epochs ("
    "  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    "  slot INTEGER NOT NULL,"
    "  cycle INTEGER NOT NULL,"
    "  instructions INTEGER NOT NULL, quota INTEGER NOT NULL, counter INTEGER NOT NULL,"
    "  PRIMARY KEY (run, slot, cycle)) WITHOUT ROWID;";

// Tables that databases of the same version may lack: made when one is written to.
static const char qsm_store_later_tables[] =
    "CREATE TABLE IF NOT EXISTS sweep (file TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS sms ("
    "  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    "  sm INTEGER NOT NULL,"
    "  instructions INTEGER NOT NULL,"
    "  PRIMARY KEY (run, sm)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS sm_epochs ("
    "  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,"
    "  slot INTEGER NOT NULL,"
    "  cycle INTEGER NOT NULL,"
    "  sms INTEGER NOT NULL, gated INTEGER NOT NULL, opt INTEGER NOT NULL, upper INTEGER NOT NULL, lower INTEGER NOT NULL,"
    "  PRIMARY KEY (run, slot, cycle)) WITHOUT ROWID;";

static const char qsm_store_views[] =
    "CREATE VIEW results AS"
    "  SELECT r.id AS run, r.position, r.variant, r.label, r.programs, r.goal AS goals, r.seed, r.config, r.policy, r.scheme,"
    "    k.slot, k.name, k.class, 1.0 * k.instructions / r.cycles AS ipc,"
    "    1.0 * a.instructions / ar.cycles AS alone_ipc,"
    "    1.0 * k.instructions / r.cycles / (1.0 * a.instructions / ar.cycles) AS normalised,"
    "    k.goal_q16 / 65536.0 AS goal_ipc, k.reached, k.finished - k.started AS response, k.finished,"
    "    k.energy_j, k.sms_mean"
    "  FROM runs r JOIN kernels k ON k.run = r.id JOIN runs ar ON ar.id = k.alone JOIN kernels a ON a.run = k.alone"
    "  WHERE r.position IS NOT NULL AND r.status = 'ok';"
    "CREATE VIEW cases AS"
    "  SELECT run, position, variant, programs, goals AS goal, seed, config, policy, scheme,"
    "    min(reached) AS met,"
    "    min(ipc / goal_ipc) AS worst,"
    "    avg(ipc / goal_ipc) AS ratio,"
    "    avg(CASE WHEN goal_ipc IS NULL THEN normalised END) AS others,"
    "    group_concat(upper(substr(class, 1, 1)), '+') AS classes"
    "  FROM (SELECT * FROM results ORDER BY run, slot) GROUP BY run HAVING count(goal_ipc) > 0;"
    "CREATE VIEW met_by_all AS"
    "  SELECT * FROM cases JOIN (SELECT programs, goal, seed FROM cases GROUP BY programs, goal, seed"
    "    HAVING coalesce(min(CASE WHEN scheme <> 'none' THEN met END), min(met)) = 1 AND count(*) = (SELECT count(DISTINCT variant) FROM runs WHERE position IS NOT NULL))"
    "  USING (programs, goal, seed);"
    "CREATE VIEW times AS"
    "  SELECT run, position, variant, label, programs, seed, response, total FROM"
    "    (SELECT run, position, variant, label, programs, seed, slot, response, max(finished) OVER (PARTITION BY run) AS total,"
    "      count(finished) OVER (PARTITION BY run) AS n_finished, count(*) OVER (PARTITION BY run) AS n,"
    "      max(slot) OVER (PARTITION BY run) AS last FROM results)"
    "  WHERE slot = last AND n_finished = n;"
    "CREATE VIEW energy AS"
    "  SELECT r.id AS run, r.position, r.variant, r.label, r.programs, r.goal, r.seed, r.energy_j, r.power_w,"
    "    (SELECT sum(instructions) FROM kernels WHERE run = r.id) / r.energy_j AS insn_per_j"
    "  FROM runs r WHERE r.position IS NOT NULL AND r.status = 'ok' AND r.energy_j IS NOT NULL;"
    "CREATE VIEW relative AS"
    "  SELECT a.run, a.position, a.variant, a.label, a.programs, a.seed, 1.0 * a.response / b.response AS response, 1.0 * a.total / b.total AS total"
    "  FROM times a JOIN times b USING (programs, seed) WHERE b.variant = (SELECT variant FROM times ORDER BY position LIMIT 1);";

#endif
