import { z } from 'zod'

/** Callers choose arguments, not the command: these variables make loaders and interpreters run other code. */
const loaderVariables =
  /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|NODE_(?!ENV$).*|.*_OPTIONS|PYTHON.*|PERL.*|RUBY.*|GEM_.*|JAVA_.*|CLASSPATH|LUA_.*|PHP.*|GIT_.*|BASH_FUNC_.*)$/i

export const isLoaderVariable = (name: string): boolean => loaderVariables.test(name)

export const VariableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, 'must be a variable name')

export const isWithoutNul = (text: string): boolean => !text.includes('\0')

export const noNul = 'must not contain NUL characters'
