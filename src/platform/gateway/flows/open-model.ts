import { Failure } from '../../shared/domain/failure.ts'
import type { Connection } from '../domain/connection.ts'
import { keyIn } from '../domain/model-api.ts'
import {
  type FindWorkload,
  type ModelApi,
  type Runtimes,
  running,
  type Serve,
  type Workload,
} from '../domain/workload.ts'

/** A model that an image runs, behind an address of its own. */
export type OpenModelImage = { model: Workload; serve: Serve; key: string | undefined }

/** A model that a provider's API runs. */
export type OpenModelApi = { workspace: string; model: Workload; api: ModelApi; connection: Connection }

export type OpenModel = OpenModelImage | OpenModelApi

type Needs = {
  findWorkload: FindWorkload
  findConnection(workspace: string, name: string): Promise<Connection | undefined>
  runtimes: Pick<Runtimes, 'model'>
}

/** A model with its connection, if it has one. */
export const openModel =
  ({ findWorkload, findConnection, runtimes }: Needs) =>
  async (workspace: string, name: string): Promise<OpenModel> => {
    const model = running(await findWorkload(workspace, 'model', name), 'model')
    const [first] = model.connections
    const connection = first === undefined ? undefined : await findConnection(workspace, first)
    if (!model.image && model.api && connection) return { workspace, model, api: model.api, connection }
    const serve = runtimes.model(model.image)
    if (!serve) throw new Failure('workload_unavailable', `Nothing here runs the image ${model.image}.`)
    return { model, serve, key: connection && keyIn(connection.secrets) }
  }
