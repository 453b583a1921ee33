import { McpFunctionInput } from '../../../contract/control-plane/function.ts'
import type { Kind } from '../domain/kind.ts'

export const mcpFunction: Kind = {
  name: 'function',
  path: '/functions',
  scope: 'functions',
  listing: 'pages',
  spec: McpFunctionInput.shape.spec,
  deploys: true,
}
