// T38: whatever a tenant's policy says, it allows nothing that the policies of the operator do not.
import { expect, test } from 'vitest'
import { NarrowPolicy, ToolRule } from '../../../src/contract/integrations/tool-policy.ts'
import { effectivePolicy } from '../../../src/platform/gateway/domain/policy/effective-policy.ts'
import { policyFor } from '../../../src/platform/gateway/domain/tool-policy.ts'

const at = { integration: 'gmail', workspace: 'acme', name: 'mail', client: 'app' }

/** A linear congruential generator, so that each run tries the same policies. */
function choices(seed: number) {
  let state = seed
  const below = (count: number) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * count)
  }
  const one = <T>(...from: T[]): T => from[below(from.length)] as T
  const some = <T>(...from: T[]): T[] | undefined => (below(2) ? from.filter(() => below(2)) : undefined)
  return { one, some }
}

const tools = ['list', 'send', 'erase']
const paths = ['/v1/*', '/v1/files', '/v1/files/*', '/admin/*']
const methods = ['GET', 'POST', 'DELETE'] as const
const people = ['a@acme.example', 'B@acme.example', 'c@acme.example']

function anyPolicy({ one, some }: ReturnType<typeof choices>) {
  const listed = { methods: some(...methods), paths: some(...paths) }
  const relay = {
    ...(listed.methods?.length && { methods: listed.methods }),
    ...(listed.paths?.length && { paths: listed.paths }),
  }
  const approvers = one(undefined, { members: some(...people), endUsers: some('user-1', 'user-2') })
  const approval = {
    calls: one('destructive' as const, 'writing', 'all', undefined),
    tools: some(...tools),
    methods: some(...methods),
    approvers,
  }
  const selects = approval.calls ?? approval.tools ?? approval.methods
  return JSON.parse(
    JSON.stringify({
      allow: some(...tools),
      deny: some(...tools),
      readOnly: one(true, false, undefined),
      relay: one(undefined, relay),
      accessTokens: one(false, undefined),
      perMinute: one(undefined, { '*': one(1, 5, 60) }, { send: one(1, 5, 60) }, { '*': one(1, 60), send: one(5, 60) }),
      approval: selects && one(undefined, approval),
    }),
  )
}

const calls = [
  { tool: 'list', effect: 'reads', method: 'GET' },
  { tool: 'send', effect: 'writes', method: 'POST' },
  { tool: 'erase', effect: 'destroys', method: 'DELETE' },
  { tool: 'erase', effect: 'destroys', method: 'MERGE' },
] as const

const relayed = methods.flatMap((method) =>
  ['/v1/files', '/v1/files/1', '/v1/x', '/admin/keys', '/v1/..%2fadmin'].map((path) => ({ method, path })),
)

/** What may be done under a policy, in words. */
function permissions(rules: ToolRule[]): Set<string> {
  const policy = policyFor(rules, at)
  const offered = calls.filter(({ tool, effect }) => policy.isOffered(tool, effect === 'reads'))
  const unasked = calls.filter((call) => !policy.approval(call))
  const limits = tools.map((tool) => ({ tool, limit: policy.perMinute(tool) ?? 61 }))
  return new Set([
    ...offered.map(({ tool }) => `call ${tool}`),
    ...unasked.map(({ tool, method }) => `call ${tool} by ${method} without an approval`),
    ...relayed.flatMap(({ method, path }) => (policy.mayRelay(method, path) ? `relay ${method} ${path}` : [])),
    ...(policy.mayIssueTokens ? ['issue tokens'] : []),
    ...[1, 5, 60, 61].flatMap((count) =>
      limits.flatMap(({ tool, limit }) => (count <= limit ? `call ${tool} ${count} times a minute` : [])),
    ),
  ])
}

const approvers = (rules: ToolRule[], call: (typeof calls)[number]) => policyFor(rules, at).approval(call)?.approvers

test('of 1,000 pairs of policies, none allows more together than the operator’s allows alone', () => {
  const wider: unknown[] = []
  for (let seed = 1; seed <= 1_000; seed++) {
    const from = choices(seed)
    const wide = ToolRule.parse({ ...anyPolicy(from), accessTokens: from.one(true, false, undefined) })
    const narrow = NarrowPolicy.parse(anyPolicy(from))
    const of = from.one({ connection: 'mail' }, { connection: 'mail', client: 'app' }, {})
    const both = [wide, { ...narrow, workspace: 'acme', ...of }]
    const alone = permissions([wide])

    const more = [...permissions(both)].filter((each) => !alone.has(each))
    const otherPeople = calls.flatMap((call) => {
      const [named, now] = [approvers([wide], call), approvers(both, call)]
      if (!named) return []
      return [...(now?.members ?? ['anybody']), ...(now?.endUsers ?? [])].filter(
        (person) => !named.members.includes(person) && !named.endUsers.includes(person),
      )
    })
    const { accessTokens } = effectivePolicy(both.map((rule) => ({ ...rule, level: 'tenant' as const })))
    if (more.length + otherPeople.length > 0 || (accessTokens && !alone.has('issue tokens'))) {
      wider.push({ seed, wide, narrow, more, otherPeople })
    }
  }

  expect(wider).toEqual([])
})
