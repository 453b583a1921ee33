// Which calls a person has to allow, and who.
import { describe, expect, test } from 'vitest'
import type { ApprovalRule, CallTraits } from '../../../src/platform/gateway/domain/approvals/approval-rule.ts'
import { policyFor, ToolPolicyFile, type ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { catalogue } from '../../../src/platform/gateway/integrations/catalogue.ts'

const at = { integration: 'gmail', workspace: 'acme', name: 'mail' }
const calls: Record<string, CallTraits> = {
  list: { tool: 'list', effect: 'reads', method: 'GET' },
  draft: { tool: 'draft', effect: 'writes', method: 'POST' },
  erase: { tool: 'erase', effect: 'destroys' },
}
const selected = (rules: ToolRule[]) =>
  Object.keys(calls).filter((name) => policyFor(rules, at).approval(calls[name] as CallTraits))

describe('a call needs an approval', () => {
  const byHint = { calls: 'destructive' } as const
  test.each<[what: string, rules: ToolRule[], needed: string[]]>([
    ['by no rule', [{ deny: ['other'] }], []],
    ['if it may destroy', [{ approval: byHint }], ['erase']],
    ['if it writes', [{ approval: { calls: 'writing' } }], ['draft', 'erase']],
    ['always', [{ approval: { calls: 'all' } }], ['list', 'draft', 'erase']],
    ['by its name', [{ approval: { tools: ['list'] } }], ['list']],
    ['by its method', [{ approval: { methods: ['POST'] } }], ['draft']],
    ['for its integration', [{ integration: 'gmail', approval: byHint }], ['erase']],
    ['for its tenant', [{ workspace: 'acme', approval: byHint }], ['erase']],
    ['for its connection', [{ connection: 'mail', approval: byHint }], ['erase']],
    [
      'but not for others',
      [
        { integration: 'slack', approval: byHint },
        { workspace: 'other', approval: byHint },
        { connection: 'calendar', approval: byHint },
      ],
      [],
    ],
  ])('%s', (_what, rules, needed) => {
    expect(selected(rules)).toEqual(needed)
  })

  test.each(['MERGE', 'PROPPATCH', 'TRACE'])('by any method, if it is one that no rule can name: %s', (method) => {
    const call = { tool: 'relay', effect: 'destroys', method } as const
    const needs = (rule: ToolRule) => policyFor([rule], at).approval(call) !== undefined

    expect([needs({ approval: { methods: ['DELETE'] } }), needs({ approval: { tools: ['other'] } })]).toEqual([
      true,
      false,
    ])
  })

  test('a narrower rule adds calls and removes none', () => {
    const wide: ToolRule = { approval: byHint }
    const narrow: ToolRule = { connection: 'mail', approval: { tools: ['list'] } }

    expect(selected([wide, narrow])).toEqual(['list', 'erase'])
  })
})

describe('the approvers', () => {
  const named = (members: string[], endUsers: string[] = []): ToolRule => ({
    approval: { calls: 'all', approvers: { members, endUsers } },
  })
  const of = (...rules: ToolRule[]) => policyFor(rules, at).approval(calls.erase as CallTraits)?.approvers

  test('are nobody else than the caller if no rule names some', () => {
    expect(of({ approval: { calls: 'all' } })).toBeUndefined()
  })

  test('must be in the list of each rule that selects the call', () => {
    const other: ToolRule = {
      approval: { tools: ['list'], approvers: { members: ['z@acme.example'], endUsers: [] } },
    }

    expect(
      of(named(['B@acme.example', 'a@acme.example'], ['u1', 'u2']), named(['b@acme.example'], ['u2']), other),
    ).toEqual({ members: ['b@acme.example'], endUsers: ['u2'] })
    expect(of(named(['a@acme.example']), named(['b@acme.example']))).toEqual({ members: [], endUsers: [] })
  })

  const ofTenant = (approvers: object, ...file: ToolRule[]) => {
    const served = catalogue([], file)
    const approval = { calls: 'all' as const, approvers }
    served.replace({ version: 1, integrations: [], policies: [{ workspace: 'acme', connection: 'mail', approval }] })
    return served.policyOf(at).approval(calls.erase as CallTraits)?.approvers
  }

  test.each<[what: string, file: ToolRule[], members: string[]]>([
    ['if no policy of the operator selects the call', [], ['a@acme.example', 'b@acme.example']],
    ['instead of the caller', [{ approval: { calls: 'destructive' } }], ['a@acme.example', 'b@acme.example']],
    ['only among those of the operator', [named(['b@acme.example', 'c@acme.example'])], ['b@acme.example']],
    ['or nobody, if the operator names others', [named(['c@acme.example'])], []],
  ])('are named by the policy of a connection %s', (_when, file, members) => {
    const approvers = ofTenant({ members: ['A@acme.example', 'b@acme.example'] }, ...file)

    expect(approvers).toEqual({ members, endUsers: [] })
  })
})

test('the file rejects a rule that selects nothing', () => {
  const file = (approval: ApprovalRule) => ToolPolicyFile.safeParse({ rules: [{ approval }] }).success

  expect([file({ approvers: { members: ['a@acme.example'], endUsers: [] } }), file({ tools: ['erase'] })]).toEqual([
    false,
    true,
  ])
})
