import type { Connection } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { FunctionState, ReadFunctionState } from '../../domain/ports/support-ledger.ts'

type Needs = { connections: Connections; platform: Platform; functionState: ReadFunctionState }

export type FunctionDetails = {
  connection: Connection
  /** Undefined if the platform did not respond. */
  state: FunctionState | 'missing' | undefined
  tools: string[] | undefined
}

/** Reads a function's status from the platform and its tools from the function. Neither has to respond. */
export const lookAtFunction =
  (needs: Needs) =>
  async (connectionId: string): Promise<FunctionDetails> => {
    const connection = await needs.connections.find(connectionId)
    if (!connection) throw missing('connection')
    const { workspace, functionName } = connection
    const [state, tools] = await Promise.all([
      needs.functionState(workspace, functionName).then((found) => found ?? 'missing', nothing),
      needs.platform.verifyFunction(provisioned(connection)).then((found) => found.tools, nothing),
    ])
    return { connection, state, tools }
  }

const nothing = () => undefined

const provisioned = ({ id, name, ...connection }: Connection) => ({
  ...connection,
  connectionId: id,
  connectionName: name,
})
