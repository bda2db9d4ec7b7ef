"""AgentCore Runtime's data plane on loopback: ``InvokeAgentRuntime`` and the runtimes' sockets.

A caller signs as for AWS and is passed on to one agent container, with the headers that AgentCore
sets. See "InvokeAgentRuntime" in the API reference of Bedrock AgentCore's data plane and "Get
started with bidirectional streaming using WebSocket" in its developer guide.
"""

from firstword.emulator.agentcore.app import create_app
from firstword.emulator.agentcore.plane import Plane
from firstword.emulator.agentcore.settings import Limits, Settings

__all__ = ["Limits", "Plane", "Settings", "create_app"]
