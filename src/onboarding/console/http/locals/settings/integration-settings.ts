import type { Entry } from '../../../../domain/settings-changes/settings-version.ts'
import type { ShownSettings, ShownVersion } from '../../../../settings/flows/read-settings.ts'
import { ago, formatTime, shown } from '../words.ts'

const sourceWords: Record<ShownSettings['source'], string> = {
  api: 'Saved without a restart. Precedes the integrations file.',
  file: 'From the integrations file.',
  catalogue: 'From the catalogue. There is no OAuth client.',
}

type Listed = {
  versions: readonly ShownVersion[]
  /** The version before the last one listed. */
  before: Entry | undefined
  now: Date
}

export function settingsLocals({ name, settings, ...listed }: Listed & { name: string; settings: ShownSettings }) {
  const { integration, source, version } = settings
  const page = `/support/doctor/${encodeURIComponent(integration)}`
  return {
    title: `Settings of ${name}`,
    crumbs: [
      { href: '/support/doctor', text: 'Integrations' },
      { href: page, text: name },
    ],
    lead: sourceWords[source],
    empty: { title: 'No changes yet', text: 'Changes that the operator makes by API are listed here.' },
    rollback: {
      text: 'Repeats this version as a new one, with its secret. All processes use it within seconds.',
      action: `${page}/settings/rollback`,
      breaks: true,
    },
    rows: rowsOf(listed, version),
  }
}

type PolicyPage = { path: string; crumbs: readonly { href: string; text: string }[]; version: number }

export function policyLocals({ crumbs, path, version, ...listed }: Listed & PolicyPage) {
  return {
    title: 'Tool policy',
    crumbs,
    lead: 'The policies of the operator apply as well, so this policy can only restrict.',
    empty: { title: 'No policy yet', text: 'Policies that are set by API are listed here.' },
    rollback: {
      text: 'Repeats this version as a new one. All processes use it within seconds.',
      action: `${path}/rollback`,
      breaks: false,
    },
    rows: rowsOf(listed, version),
  }
}

const rowsOf = ({ versions, before, now }: Listed, version: number) =>
  versions.map((each, at) => rowOf(each, versions[at + 1]?.entry ?? before, { version, now }))

function rowOf(each: ShownVersion, before: Entry | undefined, { version, now }: { version: number; now: Date }) {
  const { members, entry, actor, reason, restores, changedAt } = each
  return {
    version: each.version,
    words: restores === undefined ? (entry ? 'Saved' : 'Removed') : `Rolled back to version ${restores}`,
    isCurrent: each.version === version,
    at: formatTime(changedAt),
    ago: ago(changedAt, now),
    by: actor.name ?? actor.id ?? actor.kind,
    reason: reason && shown(reason),
    changes: members.map((name) => ({ name, ...change(name, before?.[name], entry?.[name]) })),
    hiddenFields: { version: String(each.version), ifVersion: String(version) },
  }
}

const change = (name: string, before: unknown, after: unknown) =>
  name === 'clientSecret'
    ? { before: before === undefined ? 'none' : 'a secret', after: after === undefined ? 'none' : 'another secret' }
    : { before: shownValue(before), after: shownValue(after) }

/** Values of headers may be keys. */
const shownValue = (value: unknown): string => {
  const hidden = (name: string, member: unknown) =>
    /headers$/i.test(name) && typeof member === 'object' && member !== null ? Object.keys(member) : member
  return value === undefined ? 'none' : shown(JSON.stringify(value, hidden) ?? '', 300)
}
