"""An agent that is deployed on Bedrock AgentCore: asked from here, or by the page directly."""
