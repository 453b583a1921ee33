import type { EffectivePolicy, PolicyLevel, ToolRule } from '../../../../contract/integrations/tool-policy.ts'

export type LeveledRule = ToolRule & { level: PolicyLevel }

const members = ['allow', 'deny', 'readOnly', 'relay', 'accessTokens', 'perMinute', 'approval'] as const

/** What a policy of these rules does, and whose rules those are. */
export function effectivePolicy(rules: readonly LeveledRule[]): EffectivePolicy {
  const lists = rules.flatMap(({ allow }) => (allow ? [allow] : []))
  const [first, ...others] = lists
  const allow = first?.filter((tool) => others.every((list) => list.includes(tool)))
  const approval = rules.flatMap((rule) => rule.approval ?? [])
  const tokens = rules.map(({ accessTokens }) => accessTokens)
  return {
    ...(allow && { allow }),
    deny: [...new Set(rules.flatMap(({ deny = [] }) => deny))],
    readOnly: rules.some(({ readOnly }) => readOnly === true),
    relay: rules.flatMap(({ relay }) => relay ?? []),
    accessTokens: approval.length === 0 && tokens.includes(true) && !tokens.includes(false),
    perMinute: lowest(rules),
    approval,
    decidedBy: Object.fromEntries(members.flatMap((member) => deciders(rules, member))),
  }
}

function lowest(rules: readonly LeveledRule[]): Record<string, number> {
  const limits: Record<string, number> = {}
  for (const { perMinute = {} } of rules) {
    for (const [tool, count] of Object.entries(perMinute)) limits[tool] = Math.min(count, limits[tool] ?? count)
  }
  return limits
}

function deciders(rules: readonly LeveledRule[], member: (typeof members)[number]): Array<[string, PolicyLevel[]]> {
  // An approval would not be asked for what is done with a token.
  const forbidsTokens = (rule: LeveledRule) =>
    member === 'accessTokens' && rule.approval !== undefined && rules.some(({ accessTokens }) => accessTokens === true)
  const levels = rules.filter(
    (rule) => (rule[member] !== undefined && rule[member] !== nothing[member]) || forbidsTokens(rule),
  )
  return levels.length === 0 ? [] : [[member, [...new Set(levels.map(({ level }) => level))]]]
}

/** `readOnly: false` decides nothing. */
const nothing: { [Name in (typeof members)[number]]?: unknown } = { readOnly: false }
