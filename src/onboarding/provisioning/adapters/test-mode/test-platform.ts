import { Failure } from '../../../domain/failure.ts'
import type { FunctionAccess } from '../../../domain/ports/function-access.ts'
import { intercept } from '../../../domain/ports/intercept.ts'
import { type Platform, platformMethods, simulatedAnswer } from '../../../domain/ports/platform.ts'
import type { ReadFunctionState } from '../../../domain/ports/support-ledger.ts'
import { isTestWorkspace } from '../../../domain/test-mode/test-mode.ts'

const isTest = ({ workspace }: { workspace: string }): boolean => isTestWorkspace(workspace)

export function withTestPlatform(platform: Platform, base: string): Platform {
  return intercept(platform, platformMethods, async ({ args }, next) => {
    const [at] = args
    if (!isTest(at)) return next(...args)
    // Served by connections/http/test-function.ts.
    return simulatedAnswer(`${base}/functions/${'connectionId' in at ? at.connectionId : ''}`) as never
  })
}

export const withTestFunctionAccess = (access: FunctionAccess): FunctionAccess => ({
  async createLogin(at, ...rest) {
    if (isTest(at)) throw notRun()
    return access.createLogin(at, ...rest)
  },
  redeemRepair: async (at, ticket) => (isTest(at) ? undefined : access.redeemRepair(at, ticket)),
  endLogins: async (at, endUserId) => (isTest(at) ? undefined : access.endLogins(at, endUserId)),
  listGrants: async (at) => (isTest(at) ? [] : access.listGrants(at)),
  listCalls: async (at, limit) => (isTest(at) ? [] : access.listCalls(at, limit)),
  revokeGrant: async (at, grantId) => (isTest(at) ? false : access.revokeGrant(at, grantId)),
})

export const withTestFunctionState =
  (read: ReadFunctionState): ReadFunctionState =>
  async (workspace, name) =>
    isTestWorkspace(workspace) ? undefined : read(workspace, name)

const notRun = () => new Failure('not_in_test_mode', 'Functions do not run in test mode, so they have no logins.')
