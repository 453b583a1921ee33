import type { Kind } from './kind.ts'
import type { Document } from './resource.ts'
import { hasRevisions } from './revisions.ts'

type Spec = {
  revision?: object
  drives?: unknown[]
  prefixUrl?: string
  customDomain?: string
  triggers?: unknown[]
  runtime?: {
    envs?: unknown[]
    ports?: unknown[]
    maxRetries?: number
    timeout?: number
    diskPercent?: number
    minScale?: number
    maxScale?: number
    generation?: string
  }
}

type Rule = {
  member: string
  kinds?: readonly string[]
  unlessServed?: true
  unlessRevised?: true
  unlessHosts?: true
  isSet(spec: Spec): boolean
}

const notJobs = ['agent', 'function', 'model', 'sandbox']

/** The reasons are in docs/platform/differences.md. */
const rules: readonly Rule[] = [
  { member: 'revision', unlessRevised: true, isSet: ({ revision }) => revision !== undefined },
  { member: 'drives', kinds: ['agent', 'function'], isSet: ({ drives }) => isFilled(drives) },
  { member: 'triggers', kinds: ['function', 'model', 'sandbox'], isSet: ({ triggers }) => isFilled(triggers) },
  {
    ...{ member: 'prefixUrl', kinds: ['preview'], unlessHosts: true as const },
    isSet: ({ prefixUrl, customDomain }) => Boolean(prefixUrl) && !customDomain,
  },
  {
    ...{ member: 'runtime.envs', kinds: ['agent', 'function', 'model'], unlessServed: true },
    isSet: ({ runtime }) => isFilled(runtime?.envs),
  },
  { member: 'runtime.maxRetries', kinds: notJobs, isSet: ({ runtime }) => (runtime?.maxRetries ?? 0) > 0 },
  {
    ...{ member: 'runtime.timeout', kinds: ['function', 'sandbox'], unlessRevised: true as const },
    isSet: ({ runtime }) => runtime?.timeout !== undefined,
  },
  {
    ...{ member: 'runtime.minScale', unlessServed: true },
    isSet: ({ runtime }) => runtime?.minScale !== undefined,
  },
  {
    ...{ member: 'runtime.maxScale', unlessServed: true },
    isSet: ({ runtime }) => runtime?.maxScale !== undefined,
  },
  { member: 'runtime.ports', unlessServed: true, isSet: ({ runtime }) => isFilled(runtime?.ports) },
  { member: 'runtime.diskPercent', isSet: ({ runtime }) => (runtime?.diskPercent ?? 50) !== 50 },
  { member: 'runtime.generation', isSet: ({ runtime }) => (runtime?.generation ?? 'mk3') !== 'mk3' },
]

const isFilled = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0

type Notices = {
  /** Members that were not stored. */
  dropped?: readonly string[] | undefined
  /** Its image runs in a container as a server. */
  isServed: boolean
  hasPreviewHosts: boolean
}

/** Sentences for the owner about members that have no effect here. */
export function effectNotices(
  kind: Kind,
  spec: Document,
  { dropped = [], isServed, hasPreviewHosts }: Notices,
): string[] {
  const stored = rules.filter(
    ({ kinds, unlessServed, unlessRevised, unlessHosts, isSet }) =>
      (kinds?.includes(kind.name) ?? true) &&
      !(unlessServed && isServed) &&
      !(unlessHosts && hasPreviewHosts) &&
      !(unlessRevised && hasRevisions(kind.name, spec)) &&
      isSet(spec as Spec),
  )
  return [
    ...(kind.noEffect ? [kind.noEffect] : []),
    ...(stored.length > 0 ? [`Stored, but without effect on this platform: ${named(stored.map(inSpec))}.`] : []),
    ...(dropped.length > 0 ? [`Unknown to this platform, so neither stored nor in effect: ${named(dropped)}.`] : []),
  ]
}

const inSpec = ({ member }: Rule) => `spec.${member}`

const maxNamed = 10

const named = (members: readonly string[]) =>
  [...members.slice(0, maxNamed), ...(members.length > maxNamed ? ['…'] : [])].join(', ')
