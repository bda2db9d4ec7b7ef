//go:build tools

// Package tools names the command that is built from this module, so that go.mod lists what it needs.
package tools

import _ "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"
