import { Policy, PolicyInput } from '../../../contract/control-plane/policy.ts'
import type { Kind } from '../domain/kind.ts'

export const policy: Kind = {
  name: 'policy',
  path: '/policies',
  param: 'policyName',
  scope: 'policies',
  listing: 'pages',
  input: PolicyInput,
  document: Policy,
  adminWrites: true,
}
