import type { Secret } from '../../../kit/crypto/secret.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Connection } from '../domain/connection.ts'
import { type FindWorkload, type Runtimes, running, type Serve, type Workload } from '../domain/workload.ts'

export type OpenModel = { model: Workload; serve: Serve; key: string | undefined }

type Needs = {
  findWorkload: FindWorkload
  findConnection(workspace: string, name: string): Promise<Connection | undefined>
  runtimes: Pick<Runtimes, 'model'>
}

/** A model with the key of its connection, if it has one. */
export const openModel =
  ({ findWorkload, findConnection, runtimes }: Needs) =>
  async (workspace: string, name: string): Promise<OpenModel> => {
    const model = running(await findWorkload(workspace, 'model', name), 'model')
    const serve = runtimes.model(model.image)
    if (!serve) throw new Failure('workload_unavailable', `Nothing here runs the image ${model.image}.`)
    const [first] = model.connections
    const connection = first === undefined ? undefined : await findConnection(workspace, first)
    return { model, serve, key: connection && keyIn(connection.secrets) }
  }

/** Connections are made by hand and by consoles, which do not agree on the name. */
const keyNames = ['API_KEY', 'APIKEY', 'apiKey', 'KEY', 'TOKEN']

function keyIn(secrets: Secret<Record<string, string>>): string | undefined {
  const values = secrets.reveal()
  return keyNames.map((name) => values[name]).find((value) => value !== undefined && value !== '')
}
