export { type EffectivePolicy, NarrowPolicy } from '../../../contract/integrations/tool-policy.ts'

export const policySubject = {
  tenant: (id: string) => `tenant/${id}`,
  connection: (id: string) => `connection/${id}`,
}
