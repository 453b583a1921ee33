// What the doctor found, for people.
import type { Examination } from '../../../doctor/flows/examine-integration.ts'
import {
  adviceIn,
  type DoctorFinding,
  type DoctorLayer,
  doctorChecks,
  doctorLayers,
  type Verdict,
  whoseMoveIn,
} from '../../../domain/doctor/finding.ts'
import { actorNames, shown } from './words.ts'

const verdictWords: Record<Verdict, { label: string; badge: string }> = {
  ok: { label: 'OK', badge: 'linked' },
  wrong: { label: 'Wrong', badge: 'failed' },
  inconclusive: { label: 'Inconclusive', badge: 'none' },
}

const layerWords: Record<DoctorLayer, string> = {
  static: 'Settings',
  network: 'Asked the app, without a user',
  volunteer: 'Latest link',
  time: 'Over time',
}

/** The deployment's own clients, worst first. */
export const doctorLocals = (examinations: readonly Examination[]) => ({
  title: 'Integrations',
  rows: examinations.map(rowLocals).sort((one, other) => other.wrong - one.wrong),
})

function rowLocals({ subject, findings }: Examination) {
  const bad = findings.filter(({ verdict }) => verdict === 'wrong')
  return {
    name: subject.integration.displayName,
    href: `/support/doctor/${encodeURIComponent(subject.integration.id)}`,
    wrong: bad.length,
    ...verdictWords[bad.length > 0 ? 'wrong' : 'ok'],
    text: bad[0] ? shown(bad[0].evidence) : 'Nothing known is wrong.',
  }
}

/** `isAsked`: the app was asked just now. */
export function examinationLocals({ subject, findings }: Examination, isAsked: boolean) {
  const { integration, tenant, redirectUri } = subject
  return {
    title: integration.displayName,
    about: tenant === undefined ? 'The client of this deployment' : `The client of ${tenant}`,
    redirectUri,
    isAsked,
    action: `/support/doctor/${encodeURIComponent(integration.id)}/examine`,
    fields: tenant === undefined ? {} : { tenant },
    layers: doctorLayers
      .map((layer) => ({ words: layerWords[layer], findings: ofLayer(findings, layer).map(findingLocals) }))
      .filter((layer) => layer.findings.length > 0),
  }
}

const ofLayer = (findings: readonly DoctorFinding[], layer: DoctorLayer) =>
  findings.filter(({ check }) => doctorChecks[check].layer === layer)

function findingLocals(finding: DoctorFinding) {
  const move = whoseMoveIn(finding)
  return {
    check: doctorChecks[finding.check].words,
    ...verdictWords[finding.verdict],
    evidence: shown(finding.evidence, 400),
    cause: finding.cause,
    actionFrom: move && actorNames[move],
    advice: adviceIn(finding),
  }
}
