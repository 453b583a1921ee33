// Runs the rules through promtool (Debian package: prometheus).
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { readDocument } from '../architecture/documents.ts'

const promtool = process.env.PROMTOOL ?? 'promtool'
const isMissing = spawnSync(promtool, ['--version']).status !== 0

const folder = mkdtempSync(join(tmpdir(), 'causeway-rules-'))
afterAll(() => rmSync(folder, { recursive: true }))

const files = ['recording-rules', 'causeway-alerts', 'platform-alerts'].map((name) =>
  fileURLToPath(new URL(`../../deploy/prometheus/${name}.yml`, import.meta.url)),
)

/** A minute apart, for two hours: what looks back further makes do with these. */
const minutes = 125

const constant = (value: number) => `${value}x${minutes}`
const growing = (perMinute: number) => `0+${perMinute}x${minutes}`

type Series = Record<string, string>

/** What makes each alert fire, by series. */
const ills: Record<string, Series> = {
  ...bothPrograms('causeway', 'Causeway', { loop: 'sweep-links', queue: 'links' }),
  ...bothPrograms('platform', 'Platform', { loop: 'store-usage', queue: 'tasks' }),
  CausewayLinksFailFast: links({ linked: 8, failed: 2 }),
  CausewayLinksFailSlowly: links({ linked: 95, failed: 5 }),
  CausewayLinksNeedAttention: { 'causeway_links_oldest_seconds{state="needs_attention"}': growing(60) },
  CausewayPlatformMisconfigured: { 'causeway_link_retries_total{cause="platform_misconfigured"}': growing(1) },
  CausewayClientRejected: {
    'causeway_client_rejections_total{integration="files",cause="client_secret_expired"}': growing(1),
  },
  CausewayEscrowOld: { causeway_escrow_oldest_seconds: constant(90_000) },
  CausewayWorkersLost: { causeway_link_takeovers_total: growing(1) },
  CausewayLinksUncompleted: {
    'causeway_links_uncompleted_total{tenant="acme",cause="completion_missing"}': growing(1),
  },
  CausewayGrantsDying: { 'causeway_grant_death_age_seconds_count{integration="files"}': growing(1) },
  CausewayRefreshesFail: refreshes('causeway'),
  CausewayHealthUnclear: { 'causeway_health_checks_total{integration="files",outcome="unclear"}': growing(1) },
  CausewayIntegrationMisregistered: {
    'causeway_integration_findings{integration="files",check="secret"}': constant(1),
  },
  CausewayWebhooksFail: { 'causeway_webhook_attempts_total{outcome="retried"}': growing(1) },
  CausewayWebhooksDead: { 'causeway_webhook_attempts_total{outcome="dead"}': growing(1) },
  CausewayAuditExportBehind: { 'causeway_audit_export_lag_seconds{destination="webhook"}': growing(60) },
  CausewayAuditUnsealed: { causeway_audit_unsealed_seconds: growing(60) },
  PlatformToolCallExportBehind: { 'platform_tool_call_export_lag_seconds{destination="otlp"}': growing(60) },
  PlatformRefreshesFail: refreshes('platform'),
  PlatformToolCallsFail: { 'platform_tool_calls_total{integration="files",outcome="crashed"}': growing(1) },
  PlatformUsageUnspooled: { platform_usage_unspooled_total: growing(1) },
  PlatformUsageUnstored: { 'platform_loop_failures_total{loop="store-usage"}': growing(1) },
}

function bothPrograms(prefix: string, name: string, { loop, queue }: { loop: string; queue: string }) {
  return {
    [`${name}ErrorsFast`]: requests(prefix, { 200: 98, 503: 2 }),
    [`${name}ErrorsSlowly`]: requests(prefix, { 200: 995, 503: 5 }),
    [`${name}Down`]: { [`up{job="${prefix}"}`]: constant(0) },
    [`${name}Restarts`]: { [`${prefix}_process_start_time_seconds{instance="one"}`]: growing(60) },
    [`${name}Absent`]: { [`up{job="${prefix}",cluster="left"}`]: '1x70 stale' },
    [`${name}DependencyDown`]: { [`${prefix}_dependency_up{dependency="database",state="read-only"}`]: constant(0) },
    [`${name}DependencySlow`]: { [`${prefix}_dependency_probe_seconds{dependency="redis"}`]: constant(0.4) },
    [`${name}ConnectionsExhausted`]: {
      [`${prefix}_database_connections{state="awaited"}`]: constant(3),
      [`${prefix}_database_connections{state="idle"}`]: constant(0),
    },
    [`${name}LoopFails`]: { [`${prefix}_loop_failures_total{loop="${loop}"}`]: growing(1) },
    [`${name}LoopStands`]: { [`${prefix}_loop_last_turn_timestamp_seconds{loop="${loop}"}`]: constant(0) },
    [`${name}QueueBehind`]: { [`${prefix}_queue_overdue_seconds{queue="${queue}"}`]: constant(700) },
    [`${name}EventLoopSlow`]: { [`${prefix}_nodejs_eventloop_lag_p99_seconds`]: constant(0.5) },
  }
}

function links({ linked, failed }: { linked: number; failed: number }): Series {
  const of = (outcome: string, move: string) =>
    `causeway_links_ended_total{integration="files",outcome="${outcome}",whose_move="${move}"}`
  // However many users say no, nothing is wrong.
  return {
    [of('linked', 'nobody')]: growing(linked),
    [of('failed', 'provider')]: growing(failed),
    [of('denied', 'user')]: growing(100),
  }
}

function requests(prefix: string, byStatus: Record<number, number>): Series {
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, count]) => [
      `${prefix}_http_seconds_count{method="GET",route="/healthz",status="${status}"}`,
      growing(count),
    ]),
  )
}

const inCluster = (cluster: string, series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name.replace('{', `{cluster="${cluster}",`), values]),
  )

function refreshes(prefix: string): Series {
  const of = (outcome: string) => `${prefix}_grant_refreshes_total{integration="mail",outcome="${outcome}"}`
  return { [of('done')]: growing(1), [of('grant_revoked')]: growing(3) }
}

/** At a provider that rejects refreshes without a reason. */
const rejectedClient: Series = {
  'causeway_client_rejections_total{integration="crm",cause="client_rejected"}': growing(4),
  'causeway_health_checks_total{integration="crm",outcome="unclear",cause="client_rejected"}': growing(4),
  'causeway_grant_refreshes_total{integration="crm",outcome="refresh_refused"}': growing(4),
  'platform_grant_refreshes_total{integration="crm",outcome="refresh_refused"}': growing(4),
}

/** A healthy deployment, without alerts. */
const well: Series = {
  ...links({ linked: 100, failed: 0 }),
  ...requests('causeway', { 200: 100 }),
  ...requests('platform', { 200: 100 }),
  'up{job="causeway"}': constant(1),
  // A release an hour is normal as well.
  'causeway_process_start_time_seconds{instance="one"}': '1x60 3600x65',
  'platform_process_start_time_seconds{instance="one"}': '1x60 3600x65',
  'causeway_client_rejections_total{integration="files",cause="client_rejected"}': constant(0),
  'causeway_dependency_up{dependency="database",state="ready"}': constant(1),
  'causeway_dependency_up{dependency="platform",state="ready"}': constant(1),
  platform_usage_unspooled_total: constant(0),
  'causeway_dependency_probe_seconds{dependency="redis"}': constant(0.002),
  'causeway_queue_overdue_seconds{queue="links"}': constant(0),
  'causeway_links_oldest_seconds{state="needs_attention"}': constant(0),
  'causeway_loop_last_turn_timestamp_seconds{loop="sweep-links"}': growing(60),
  'causeway_health_checks_total{integration="files",outcome="healthy",cause=""}': growing(10),
  'causeway_webhook_attempts_total{outcome="delivered"}': growing(10),
  'causeway_audit_export_lag_seconds{destination="webhook"}': constant(70),
  causeway_audit_unsealed_seconds: constant(6),
  'platform_tool_call_export_lag_seconds{destination="otlp"}': constant(70),
}

/** A process that is down most of the time and restarts every few minutes. */
const flapping = (prefix: string): Series => ({
  [`up{job="${prefix}",instance="one"}`]: `${'0 0 1 '.repeat(41)}0 0`,
  [`${prefix}_process_start_time_seconds{instance="one"}`]: Array.from({ length: minutes }, (_, minute) =>
    minute % 3 === 2 ? minute * 60 : 'stale',
  ).join(' '),
})

const group = (name: string, series: Series, alerts: string[]) => ({
  name,
  interval: '1m',
  input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    {
      expr: 'max by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: '2h',
      exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    },
  ],
})

test('every alert has a case', () => {
  const alerts = ['causeway', 'platform'].flatMap((name) =>
    [...readDocument(`deploy/prometheus/${name}-alerts.yml`).matchAll(/- alert: (\w+)/g)].map(([, alert]) => alert),
  )

  expect(Object.keys(ills).sort()).toEqual([...alerts].sort())
})

test.skipIf(isMissing)('promtool accepts the rules and the sample configuration', () => {
  expect(() => execFileSync(promtool, ['check', 'rules', ...files], { stdio: 'pipe' })).not.toThrow()
  const sample = fileURLToPath(new URL('../../deploy/prometheus/prometheus.yml', import.meta.url))
  expect(() => execFileSync(promtool, ['check', 'config', sample], { stdio: 'pipe' })).not.toThrow()
})

const amtool = process.env.AMTOOL ?? 'amtool'

test.skipIf(spawnSync(amtool, ['--version']).status !== 0)('Alertmanager accepts the sample routes', () => {
  const sample = fileURLToPath(new URL('../../deploy/prometheus/alertmanager.yml', import.meta.url))

  expect(() => execFileSync(amtool, ['check-config', sample], { stdio: 'pipe' })).not.toThrow()
})

test('inhibition rules name alerts that exist', () => {
  const sample = readDocument('deploy/prometheus/alertmanager.yml')
  const patterns = [...sample.matchAll(/alertname=~?"([^"]+)"/g)].map(([, pattern = '']) => pattern)
  const unmatched = patterns.flatMap(namesOf).filter((name) => !(name in ills))

  expect(patterns.length).toBeGreaterThan(10)
  expect(unmatched).toEqual([])
})

/** `Causeway(Down|Absent)` are two names. */
function namesOf(pattern: string): string[] {
  const [, before = '', choices, after = ''] = /^([^(]*)\(([^)]*)\)(.*)$/.exec(pattern) ?? []
  if (choices === undefined) return pattern.split('|')
  return choices.split('|').flatMap((choice) => namesOf(before + choice + after))
}

// promtool evaluates every rule for each minute of each case.
test.skipIf(isMissing)('each alert fires in its case, and none on a normal day', { timeout: 240_000 }, () => {
  const slowly = Object.keys(ills).filter((alert) => alert.endsWith('Slowly'))
  const fast = Object.keys(ills).filter((alert) => !slowly.includes(alert))
  const seriesOf = (alerts: string[]): Series => Object.assign({}, ...alerts.map((alert) => ills[alert]))
  const tests = [
    // A fast burn also raises the slow-burn alerts.
    group('everything at once', seriesOf(fast), Object.keys(ills)),
    group('O21: a rejected client is one alert', { ...well, ...rejectedClient }, ['CausewayClientRejected']),
    group('a low error rate raises only the slow alerts', { ...well, ...seriesOf(slowly) }, slowly),
    group('a normal day', well, []),
    group('one failed link of three in an hour', { ...well, ...links({ linked: 1 / 30, failed: 1 / 60 }) }, []),
    group('a few failed requests in an hour', { ...well, ...requests('causeway', { 200: 1, 503: 0.1 }) }, []),
    group(
      'a platform that rejects our key while no link starts',
      {
        ...well,
        'causeway_dependency_up{dependency="platform",state="ready"}': 'stale',
        'causeway_dependency_up{dependency="platform",state="misconfigured"}': constant(0),
      },
      ['CausewayPlatformMisconfigured'],
    ),
    group('no target at all', { ...well, 'up{job="causeway"}': 'stale' }, ['CausewayAbsent']),
    group(
      'links of one deployment fail beside a busy healthy one',
      {
        ...inCluster('east', links({ linked: 0, failed: 1 })),
        ...inCluster('west', links({ linked: 999, failed: 0 })),
        ...well,
      },
      ['CausewayLinksFailFast', 'CausewayLinksFailSlowly'],
    ),
    ...(['causeway', 'platform'] as const).map((prefix) =>
      group(`${prefix} dies before anybody can call it down`, { ...well, ...flapping(prefix) }, [
        prefix === 'causeway' ? 'CausewayRestarts' : 'PlatformRestarts',
      ]),
    ),
  ]
  const file = join(folder, 'tests.yml')
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ rule_files: files, evaluation_interval: '1m', tests }))

  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' })

  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})

test.skipIf(isMissing)('the alert about a rejected client includes the client', () => {
  const file = join(folder, 'client.yml')
  const alert = {
    eval_time: '2h',
    alertname: 'CausewayClientRejected',
    exp_alerts: [
      {
        exp_labels: { severity: 'page', integration: 'files', cause: 'client_secret_expired' },
        exp_annotations: {
          summary: 'files does not accept our OAuth client (client_secret_expired).',
          runbook: 'docs/reference/alerts.md#causewayclientrejected',
        },
      },
    ],
  }
  const { promql_expr_test, ...series } = group('', { ...well, ...ills.CausewayClientRejected }, [])
  const tests = [{ ...series, alert_rule_test: [alert] }]
  writeFileSync(file, JSON.stringify({ rule_files: files, evaluation_interval: '1m', tests }))

  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', file], { encoding: 'utf8' })

  expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
})
