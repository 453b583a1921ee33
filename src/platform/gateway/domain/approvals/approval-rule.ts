import { type ApprovalRule, nameableMethods } from '../../../../contract/integrations/tool-policy.ts'

export type { ApprovalRule }

/** Requests of the request tool and the relay that are not reads count as destructive: they have no hint. */
type CallEffect = 'reads' | 'writes' | 'destroys'

/** `method`: of the HTTP request, unless a vendor's MCP server makes it. */
export type CallTraits = { tool: string; effect: CallEffect; method?: string | undefined }

const selections = {
  destructive: ['destroys'],
  writing: ['writes', 'destroys'],
  all: ['reads', 'writes', 'destroys'],
} as const satisfies Record<NonNullable<ApprovalRule['calls']>, CallEffect[]>

export type Approvers = { members: string[]; endUsers: string[] }

/** Undefined if no rule selects the call. Without `approvers` the caller's own person decides. */
export function approvalTerms(
  rules: readonly ApprovalRule[],
  call: CallTraits,
): { approvers: Approvers | undefined } | undefined {
  const selecting = rules.filter((rule) => selects(rule, call))
  if (selecting.length === 0) return undefined
  const [first, ...others] = selecting.flatMap(({ approvers }) => (approvers ? [sorted(approvers)] : []))
  return { approvers: first && others.reduce(inBoth, first) }
}

const selects = ({ calls, tools, methods }: ApprovalRule, { tool, effect, method }: CallTraits): boolean =>
  (calls !== undefined && (selections[calls] as readonly CallEffect[]).includes(effect)) ||
  tools?.includes(tool) === true ||
  (method !== undefined && methods !== undefined && (isIn(methods, method) || !isIn(nameableMethods, method)))

/** The relay passes on any method. One that no rule can name, such as MERGE, must not lead around the rules. */
const isIn = (methods: readonly string[], method: string): boolean => methods.includes(method)

/** The same text for the same people, because receipts are compared with it. */
const sorted = ({ members = [], endUsers = [] }: NonNullable<ApprovalRule['approvers']>): Approvers => ({
  members: [...new Set(members.map((email) => email.toLowerCase()))].toSorted(),
  endUsers: [...new Set(endUsers)].toSorted(),
})

const inBoth = (one: Approvers, other: Approvers): Approvers => ({
  members: one.members.filter((email) => other.members.includes(email)),
  endUsers: one.endUsers.filter((id) => other.endUsers.includes(id)),
})
