import { isLoaderVariable } from '../../../contract/control-plane/environment.ts'
import { Failure } from './failure.ts'

export function assertNoLoaderVariables(env: Readonly<Record<string, string>>): void {
  const refused = Object.keys(env).filter(isLoaderVariable)
  if (refused.length === 0) return
  throw new Failure(
    'input_invalid',
    `env: ${refused.join(', ')} can't be set, because it would change what the command runs`,
  )
}
