// Schemas of the contract have the same names in the document as in the code.
import type { z } from 'zod'
import * as metrics from '../../../../contract/billing/metrics.ts'
import * as audit from '../../../../contract/control-plane/audit.ts'
import * as catalogue from '../../../../contract/control-plane/catalogue.ts'
import * as execution from '../../../../contract/control-plane/execution.ts'
import * as functionAccess from '../../../../contract/control-plane/function-access.ts'
import * as connection from '../../../../contract/control-plane/integration-connection.ts'
import * as member from '../../../../contract/control-plane/member.ts'
import * as networking from '../../../../contract/control-plane/networking.ts'
import * as policy from '../../../../contract/control-plane/policy.ts'
import * as previews from '../../../../contract/control-plane/previews.ts'
import * as runtime from '../../../../contract/control-plane/runtime.ts'
import * as serviceAccount from '../../../../contract/control-plane/service-account.ts'
import * as storage from '../../../../contract/control-plane/storage.ts'
import * as workloads from '../../../../contract/control-plane/workloads.ts'
import * as workspace from '../../../../contract/control-plane/workspace.ts'
import * as errors from '../../../../contract/error-bodies.ts'
import * as requests from '../../../../contract/gateway/requests.ts'
import * as sandboxes from '../../../../contract/gateway/sandboxes.ts'
import * as oauth from '../../../../contract/identity/oauth.ts'
import * as page from '../../../../contract/page.ts'
import * as resource from '../../../../contract/resource.ts'

const modules: Array<Record<string, unknown>> = [
  metrics,
  audit,
  catalogue,
  execution,
  functionAccess,
  connection,
  member,
  networking,
  policy,
  previews,
  runtime,
  serviceAccount,
  storage,
  workloads,
  workspace,
  errors,
  requests,
  sandboxes,
  oauth,
  page,
  resource,
]

const isParameters = (name: string) => /(Query|Selection|Window)$/.test(name) || name === 'AuthorizationRequest'

const namedTypes = ['object', 'union', 'enum', 'lazy']

export const schemaNames: ReadonlyMap<z.ZodType, string> = new Map(
  modules
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, value]) =>
      isSchema(value) && namedTypes.includes(value.type) && !isParameters(name) ? [[value, name] as const] : [],
    ),
)

function isSchema(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}
