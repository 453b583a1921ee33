import { Failure } from '../domain/failure.ts'

/** What the store says when a workspace is to have a name that another account gave up within the hour. */
export function throwNameResting(error: { constraint?: string }): never {
  if (error.constraint !== 'workspace_name_rests') throw error
  throw new Failure(
    'name_taken',
    'Another account had a workspace of this name within the last hour. Choose another name, or try again later.',
    { cause: error },
  )
}
