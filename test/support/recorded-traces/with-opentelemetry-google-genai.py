from telemetry import INSTRUCTIONS, QUESTION, provider, weather
from google import genai
from google.genai import types
from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor

GoogleGenAiSdkInstrumentor().instrument()
declaration = types.FunctionDeclaration(
    name="get_weather",
    parameters=types.Schema(type=types.Type.OBJECT, properties={"city": types.Schema(type=types.Type.STRING)}),
)
config = types.GenerateContentConfig(
    system_instruction=INSTRUCTIONS, tools=[types.Tool(function_declarations=[declaration])]
)
client = genai.Client(api_key="none")
contents = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
with provider.get_tracer("program").start_as_current_span("answer"):
    while True:
        said = client.models.generate_content(model="gemini-2.5-flash", contents=contents, config=config)
        if not said.function_calls:
            break
        contents.append(said.candidates[0].content)
        for call in said.function_calls:
            result = types.Part.from_function_response(name=call.name, response={"result": weather(**call.args)})
            contents.append(types.Content(role="user", parts=[result]))
