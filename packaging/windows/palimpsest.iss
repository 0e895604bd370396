; Installer for Windows, of a finished folder:
;   iscc /DVersion=0.1.0 /DPublisher="Name" /DHomepage=URL /DFrozen=..\..\build\frozen\palimpsest palimpsest.iss
; Needs Inno Setup 6.3. Not tried: this was written where there is no Windows.
; Installs for one user without asking for an administrator, or for all with one. Projects and settings stay on removal.

#ifndef Version
  #error Say /DVersion=
#endif

[Setup]
AppId={{6E4C51B7-8B0E-4E2A-9C53-7B0C2A5D5F11}
AppName=Palimpsest
AppVersion={#Version}
AppPublisher={#Publisher}
AppPublisherURL={#Homepage}
DefaultDirName={autopf}\Palimpsest
DefaultGroupName=Palimpsest
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\..\LICENSE
OutputDir=..\..\dist
OutputBaseFilename=palimpsest-{#Version}-windows-x86_64
SetupIconFile=..\..\build\icons\palimpsest.ico
UninstallDisplayIcon={app}\palimpsest.exe
Compression=lzma2/max
SolidCompression=yes
ChangesAssociations=yes
ChangesEnvironment=yes
WizardStyle=modern

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"
Name: "ja"; MessagesFile: "compiler:Languages\Japanese.isl"

[Tasks]
Name: "desktop"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: "path"; Description: "Use 'palimpsest' in the command prompt"; Flags: unchecked; Check: not IsAdminInstallMode

[InstallDelete]
; What an earlier version brought and this one does not.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "{#Frozen}\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\Palimpsest"; Filename: "{app}\palimpsest-window.exe"
Name: "{autodesktop}\Palimpsest"; Filename: "{app}\palimpsest-window.exe"; Tasks: desktop

[Registry]
Root: HKA; Subkey: "Software\Classes\.palimpsest"; ValueType: string; ValueData: "Palimpsest.Project"; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\Palimpsest.Project"; ValueType: string; ValueData: "Palimpsest project"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Palimpsest.Project\DefaultIcon"; ValueType: string; ValueData: "{app}\palimpsest.exe,0"
Root: HKA; Subkey: "Software\Classes\Palimpsest.Project\shell\open\command"; ValueType: string; ValueData: """{app}\palimpsest-window.exe"" ""%1"""
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NeedsPath

[Run]
Filename: "{app}\palimpsest-window.exe"; Description: "{cm:LaunchProgram,Palimpsest}"; Flags: nowait postinstall skipifsilent

[Code]
function NeedsPath: Boolean;
var
  Path: string;
begin
  if not RegQueryStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Path) then
    Path := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Path) + ';') = 0;
end;
