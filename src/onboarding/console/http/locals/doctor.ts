import type { Examination } from '../../../doctor/flows/examine-integration.ts'
import { appIcon } from '../../../domain/catalogue/app-icon.ts'
import { tierToday } from '../../../domain/catalogue/catalogue-item.ts'
import {
  type DoctorFinding,
  type DoctorLayer,
  doctorChecks,
  doctorLayers,
  type Verdict,
  whoseMoveIn,
} from '../../../domain/doctor/finding.ts'
import { tierBadge } from '../../../tenants/http/locals/catalogue.ts'
import type { HealthByDay } from '../../flows/read-support.ts'
import { actorNames, causeWords } from './cause-words.ts'
import { dayChart, dayOf } from './day-chart.ts'
import { shown } from './words.ts'

const verdictWords: Record<Verdict, { label: string; badge: string }> = {
  ok: { label: 'OK', badge: 'linked' },
  wrong: { label: 'Wrong', badge: 'failed' },
  inconclusive: { label: 'Inconclusive', badge: 'none' },
}

const layerWords: Record<DoctorLayer, string> = {
  deployment: 'This server',
  settings: 'Settings',
  network: 'Asked the app, without a user',
  latest_link: 'Latest link',
  over_time: 'Over time',
}

/** Worst first. */
export const doctorLocals = (examinations: readonly Examination[], now: Date) => ({
  title: 'Integrations',
  rows: examinations
    .map((each) => ({ ...rowLocals(each), profile: profileLocals(each.subject.integration, now) }))
    .sort((one, other) => other.wrong - one.wrong),
})

function rowLocals({ subject, findings }: Examination) {
  const bad = findings.filter(({ verdict }) => verdict === 'wrong')
  return {
    name: subject.integration.displayName,
    icon: appIcon(subject.integration),
    href: `/support/doctor/${encodeURIComponent(subject.integration.id)}`,
    wrong: bad.length,
    ...verdictWords[bad.length > 0 ? 'wrong' : 'ok'],
    text: bad[0] ? shown(bad[0].evidence) : 'No problems found.',
  }
}

function profileLocals({ id, about }: Examination['subject']['integration'], now: Date) {
  if (!about) return { notice: 'Described in the integrations file' }
  const tier = tierToday(about, now)
  const notice = tier === 'listed' ? 'Only one source: test a link before users do' : undefined
  const isOld = tier !== about.tier
  return {
    href: `/catalogue/${id}`,
    badge: tierBadge(tier),
    asOf: about.asOf,
    notice: isOld ? 'The vendor’s documentation was last checked more than a year ago' : notice,
  }
}

/** The colors of links with the same meaning. */
const healthKinds = { healthy: 'linked', broken: 'failed', unclear: 'unfinished', untested: 'pending' } as const
const kinds = Object.values(healthKinds)

function healthLocals({ counts, days, now }: HealthByDay) {
  const byDay = new Map<string, Record<(typeof kinds)[number], number>>()
  for (const { day, outcome, count } of counts) {
    const parts = byDay.get(dayOf(day)) ?? { linked: 0, failed: 0, unfinished: 0, pending: 0 }
    byDay.set(dayOf(day), { ...parts, [healthKinds[outcome]]: count })
  }
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  return { days, total, chart: dayChart(kinds, byDay, days, now) }
}

/** `isAsked`: the app was probed just now. `health` covers the integration with all clients. */
export function examinationLocals(
  { subject, findings }: Examination,
  { isAsked, health }: { isAsked: boolean; health: HealthByDay | undefined },
) {
  const { integration, tenant, redirectUri } = subject
  return {
    title: integration.displayName,
    icon: appIcon(integration),
    about: tenant === undefined ? 'The client of this server' : `The client of ${tenant}`,
    redirectUri,
    isAsked,
    health: health && healthLocals(health),
    action: `/support/doctor/${encodeURIComponent(integration.id)}/examine`,
    settingsHref: tenant === undefined ? `/support/doctor/${encodeURIComponent(integration.id)}/settings` : undefined,
    fields: tenant === undefined ? {} : { tenant },
    layers: doctorLayers
      .map((layer) => ({ words: layerWords[layer], findings: ofLayer(findings, layer).map(findingLocals) }))
      .filter((layer) => layer.findings.length > 0),
  }
}

const ofLayer = (findings: readonly DoctorFinding[], layer: DoctorLayer) =>
  findings.filter(({ check }) => doctorChecks[check].layer === layer)

/** Names of settings are only for operators. */
const adviceLocals = ({ cause, remedy }: DoctorFinding) =>
  remedy
    ? { advice: 'Ask your operator to correct this.', forOperator: remedy.advice.replaceAll('`', '') }
    : cause && causeWords(cause)

function findingLocals(finding: DoctorFinding) {
  const move = whoseMoveIn(finding)
  return {
    check: doctorChecks[finding.check].words,
    ...verdictWords[finding.verdict],
    evidence: shown(finding.evidence, 400),
    actionFrom: move && actorNames[move],
    ...adviceLocals(finding),
  }
}
