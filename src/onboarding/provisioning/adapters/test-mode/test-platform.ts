// What stands in for the platform in test mode. Nothing is made there: a link ends linked because nothing failed, and
// what it made has names and an address that lead nowhere.
import { Failure } from '../../../domain/failure.ts'
import type { FunctionAccess } from '../../../domain/ports/function-access.ts'
import type { Platform } from '../../../domain/ports/platform.ts'
import type { ReadFunctionState } from '../../../domain/ports/support-ledger.ts'
import { isTestWorkspace } from '../../../domain/test-mode/test-mode.ts'

const isTest = ({ workspace }: { workspace: string }): boolean => isTestWorkspace(workspace)

export function withTestPlatform(platform: Platform, base: string): Platform {
  const urlOf = (functionName: string) => ({ url: `${base}/functions/${functionName}` })
  return {
    async createConnection(at, grant) {
      if (!isTest(at)) await platform.createConnection(at, grant)
    },
    async replaceConnection(at, grant) {
      if (!isTest(at)) await platform.replaceConnection(at, grant)
    },
    async deleteConnection(at) {
      if (!isTest(at)) await platform.deleteConnection(at)
    },
    async deleteFunction(at) {
      if (!isTest(at)) await platform.deleteFunction(at)
    },
    createFunction: async (at) => (isTest(at) ? urlOf(at.functionName) : platform.createFunction(at)),
    pointFunction: async (at) => (isTest(at) ? urlOf(at.functionName) : platform.pointFunction(at)),
    verifyFunction: async (at) => (isTest(at) ? { tools: [] } : platform.verifyFunction(at)),
    restartFunction: async (at, options) =>
      isTest(at) ? { message: undefined } : platform.restartFunction(at, options),
    // By its address alone: no function of the platform is below our own.
    tryTool: async (functionUrl, tool, by) =>
      functionUrl.startsWith(`${base}/`) ? { failed: false } : platform.tryTool(functionUrl, tool, by),
  }
}

export const withTestFunctionAccess = (access: FunctionAccess): FunctionAccess => ({
  async createLogin(at, ...rest) {
    if (isTest(at)) throw notRun()
    return access.createLogin(at, ...rest)
  },
  listGrants: async (at) => (isTest(at) ? [] : access.listGrants(at)),
  listCalls: async (at, limit) => (isTest(at) ? [] : access.listCalls(at, limit)),
  revokeGrant: async (at, grantId) => (isTest(at) ? false : access.revokeGrant(at, grantId)),
})

export const withTestFunctionState =
  (read: ReadFunctionState): ReadFunctionState =>
  async (workspace, name) =>
    isTestWorkspace(workspace) ? undefined : read(workspace, name)

const notRun = () => new Failure('not_in_test_mode', 'Functions do not run in test mode, so nobody can sign in to one.')
