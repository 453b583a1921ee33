import { ToolPolicyFile, type ToolRule } from '../../../contract/integrations/tool-policy.ts'
import { type Approvers, approvalTerms, type CallTraits } from './approvals/approval-rule.ts'

export { ToolPolicyFile, type ToolRule }

export type ToolPolicy = {
  isOffered(tool: string, readsOnly: boolean): boolean
  isReadOnly: boolean
  mayRelay(method: string, path: string): boolean
  mayIssueTokens: boolean
  perMinute(tool: string): number | undefined
  hasApprovals: boolean
  /** Undefined if the call needs no approval. */
  approval(call: CallTraits): { approvers: Approvers | undefined } | undefined
}

/** `client`: whose login makes the call. */
export type Place = { integration: string; workspace: string; name: string; client?: string | undefined }

/** By the rules that apply now. */
export type PolicyOf = (at: Place) => ToolPolicy

/** All rules for calls by logins of the client. Undefined if none is about this client. */
export type ClientPolicyOf = (at: Place & { client: string }) => ToolPolicy | undefined

export const rulesAt = <Rule extends ToolRule>(rules: readonly Rule[], at: Place): Rule[] =>
  rules.filter(
    ({ integration, workspace, connection, client }) =>
      (integration ?? at.integration) === at.integration &&
      (workspace ?? at.workspace) === at.workspace &&
      (connection ?? at.name) === at.name &&
      (client ?? at.client) === at.client,
  )

export function policyFor(rules: readonly ToolRule[], at: Place): ToolPolicy {
  const applying = rulesAt(rules, at)
  const isReadOnly = applying.some(({ readOnly }) => readOnly === true)
  const approvals = applying.flatMap(({ approval }) => approval ?? [])
  return {
    isReadOnly,
    isOffered: (tool, readsOnly) =>
      (readsOnly || !isReadOnly) &&
      applying.every(({ allow, deny }) => (allow?.includes(tool) ?? true) && !deny?.includes(tool)),
    mayRelay: (method, path) => applying.every(({ relay }) => !relay || permits(relay, method, path)),
    mayIssueTokens:
      approvals.length === 0 &&
      applying.some(({ accessTokens }) => accessTokens === true) &&
      applying.every(({ accessTokens }) => accessTokens !== false),
    perMinute(tool) {
      const limits = applying.flatMap(({ perMinute }) => perMinute?.[tool] ?? perMinute?.['*'] ?? [])
      return limits.length === 0 ? undefined : Math.min(...limits)
    },
    hasApprovals: approvals.length > 0,
    approval: (call) => approvalTerms(approvals, call),
  }
}

/** Could lead out of an allowed path at a server that decodes it, also twice, or drops path parameters (`..;`). */
const isAmbiguous = (path: string): boolean => /%(25)*(2e|2f|5c)|\.\.;/i.test(path)

const permits = ({ methods, paths }: NonNullable<ToolRule['relay']>, method: string, path: string): boolean =>
  (methods?.some((each) => each === (method === 'HEAD' ? 'GET' : method) || each === method) ?? true) &&
  (paths === undefined || (!isAmbiguous(path) && paths.some((pattern) => matches(pattern, path))))

const matches = (pattern: string, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
