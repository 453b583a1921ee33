import { Failure } from '../domain/failure.ts'

/** Another account released the name in the last hour. */
export function throwNameResting(error: { constraint?: string }): never {
  if (error.constraint !== 'workspace_name_rests') throw error
  throw new Failure(
    'name_taken',
    'Another account used this workspace name within the last hour. Choose another name, or try again later.',
    { cause: error },
  )
}
